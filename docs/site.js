// Readers without a mouse can scroll code and tables that are wider than the page.
for (const region of document.querySelectorAll("pre > code, .table-wrapper")) {
  region.tabIndex = 0;
}
