import { failureText } from '../session/failure-text.ts'
import { Cell } from '../state/cell.ts'

/** State of the actions that buttons of one view start: whether any is running, and the failure to show. */
export class Attempt {
  readonly busy = new Cell(false)
  readonly failure = new Cell<string | undefined>(undefined)
  readonly #running = new Set<string>()
  /** Subject of the action whose failure is shown. */
  #failed: string | undefined

  /**
   * Returns whether the action succeeded. While another action for the same subject is running, does nothing and
   * returns false. In a list, the subject is the id of the row.
   */
  async run(action: () => Promise<unknown>, subject = ''): Promise<boolean> {
    if (this.#running.has(subject)) return false
    if (this.#running.size === 0 || this.#failed === subject) this.failure.set(undefined)
    this.#running.add(subject)
    this.busy.set(true)
    try {
      await action()
      return true
    } catch (thrown) {
      this.failure.set(failureText(thrown))
      this.#failed = subject
      return false
    } finally {
      this.#running.delete(subject)
      this.busy.set(this.#running.size > 0)
    }
  }
}
