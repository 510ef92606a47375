import { failureText } from '../session/failure-text.ts'
import { Cell } from '../state/cell.ts'

/** Something that a person does by a button: whether it is under way, and why it did not work. */
export class Attempt {
  readonly busy = new Cell(false)
  readonly failure = new Cell<string | undefined>(undefined)

  /** Answers whether it worked. While one thing is under way, nothing else begins. */
  async run(doing: () => Promise<unknown>): Promise<boolean> {
    if (this.busy.value) return false
    this.busy.set(true)
    this.failure.set(undefined)
    try {
      await doing()
      return true
    } catch (thrown) {
      this.failure.set(failureText(thrown))
      return false
    } finally {
      this.busy.set(false)
    }
  }
}
