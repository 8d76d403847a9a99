"""The only SQL over our database, and the vector cache. One repository per noun."""
