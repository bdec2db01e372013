export interface Item {
  name: string;
  price: number;
  stock: number;
}

export class OrderError extends Error {
  constructor(message: string, readonly item: string) {
    super(message);
    this.name = 'OrderError';
  }
}

export class Shop {
  #sold = 0;

  constructor(private readonly items: Item[]) {}

  order(index: number): { item: string; paid: number } {
    const item = this.items[index % this.items.length]!;
    if (item.stock === 0) throw new OrderError(`no such item: ${item.name}`, item.name);
    this.#sold += 1;
    return { item: item.name, paid: item.price };
  }

  get sold(): number {
    return this.#sold;
  }
}
