# How contrib/docs has Sphinx make the site from the Markdown in docs/ and beside it. index.md has the navigation.
#
# SPDX-License-Identifier: BSD-3-Clause

import pathlib
import re

from sphinx.search.en import SearchEnglish

CONFIGURE = (pathlib.Path(__file__).parent / "configure.ac").read_text()

project = "osc/ucp"
release = version = re.search(r"^AC_INIT\(\[[^]]*\], *\[([^]]*)\]", CONFIGURE, re.M)[1]
html_title = f"osc/ucp {version}"
html_show_copyright = False
html_copy_source = False
html_theme = "sphinx_rtd_theme"
html_static_path = ["tables.css"]
html_css_files = ["tables.css"]
extensions = ["myst_parser"]
exclude_patterns = ["html", "contrib/site"]
myst_heading_anchors = 4  # so that page.md#heading leads where it leads on a forge
smartquotes = False  # options and values stay as they are typed

# Of these nothing is left in the index, but the browser would look for them: a search for "the file's size" would find
# no page.
SearchEnglish.stopwords = SearchEnglish.stopwords | {"s", "its", "one"}
