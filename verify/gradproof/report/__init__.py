"""Reports of what was settled: pages, records, a site. Untrusted."""
