inventory = {}


def add(item, qty, price):
    if item in inventory:
        inventory[item]["qty"] += qty
    else:
        inventory[item] = {"qty": qty, "price": price}


def remove(item, qty):
    if item not in inventory:
        raise KeyError(f"{item} not in stock")
    if inventory[item]["qty"] < qty:
        raise ValueError(f"only {inventory[item]['qty']} of {item}")
    inventory[item]["qty"] -= qty
    if not inventory[item]["qty"]:
        del inventory[item]


add("pen", 10, 1.2)
add("pad", 2, 3.5)
add("pen", 5, 1.2)
for args in [("pen", 3), ("pad", 2), ("cup", 1), ("pen", 100)]:
    try:
        remove(*args)
        print("removed", args)
    except (KeyError, ValueError) as e:
        print(type(e).__name__, e)
print(inventory)
