export class TopicLog<Item> {
  #items: (Item | undefined)[] = []
  #first = 0

  get isEmpty(): boolean {
    return this.#first === this.#items.length
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): void {
    this.#items[this.#first++] = undefined
    if (this.#first * 2 < this.#items.length) return
    this.#items = this.#items.slice(this.#first)
    this.#first = 0
  }

  /** Returns the items from the first recent one on. `isRecent` must hold for all later items, too. */
  itemsFrom(isRecent: (item: Item) => boolean): Item[] {
    let [low, high] = [this.#first, this.#items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const item = this.#items[middle]
      if (item === undefined || isRecent(item)) high = middle
      else low = middle + 1
    }
    return this.#items.slice(low).filter((item) => item !== undefined)
  }
}
