"""Parts of pages that run in the browser. They draw what they are given and ask nobody."""
