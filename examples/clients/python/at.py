def at(body, path):
    """What lies at a dotted path of a JSON body, such as `data.ticket`: the profile tells where things lie."""
    for name in path.split("."):
        body = body[name]
    return body
