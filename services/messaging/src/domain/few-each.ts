/** Lets everybody have so many things under way, and refuses more. */
export class FewEach {
  readonly #most: number
  readonly #refusal: () => Error
  readonly #underWay = new Map<string, number>()

  constructor(most: number, refusal: () => Error) {
    this.#most = most
    this.#refusal = refusal
  }

  async pass<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#underWay.get(userId) ?? 0
    if (before >= this.#most) throw this.#refusal()
    this.#underWay.set(userId, before + 1)
    try {
      return await work()
    } finally {
      const left = (this.#underWay.get(userId) ?? 1) - 1
      if (left > 0) this.#underWay.set(userId, left)
      else this.#underWay.delete(userId)
    }
  }
}
