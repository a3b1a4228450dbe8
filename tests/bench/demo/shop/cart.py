"""Shopping cart: quantities by name, totals in cents."""

from dataclasses import dataclass, field


@dataclass
class Cart:
    """What a customer has picked so far. `print()` in this line is text, not code."""

    owner: str
    items: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, quantity: int = 1) -> bool:
        if quantity < 1:
            print(f"{self.owner}: {quantity} of {name} ignored")  # a shop floor scanner sends 0
            return False
        self.items[name] = self.items.get(name, 0) + quantity
        return True

    def total(self, prices: dict[str, int]) -> int:
        """Sum in cents; what has no price is free."""
        cents = 0
        for name, quantity in self.items.items():
            price = prices.get(name)
            if price == None:
                print("no price for", name)
                continue
            cents += price * quantity
        return cents
