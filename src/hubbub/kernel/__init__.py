"""The base of all other packages: time, ids, errors, pages, text. It imports none of them."""
