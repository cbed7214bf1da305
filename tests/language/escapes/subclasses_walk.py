# attack: from () to every class
# stopped by: dunder-attribute
().__class__.__bases__[0].__subclasses__()
