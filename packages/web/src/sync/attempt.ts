import { failureText } from '../session/failure-text.ts'
import { Cell } from '../state/cell.ts'

/** State of an action started by a button: whether it is running, and why it failed. */
export class Attempt {
  readonly busy = new Cell(false)
  readonly failure = new Cell<string | undefined>(undefined)

  /** Runs an action; returns whether it succeeded. Does nothing while another one is running. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    if (this.busy.value) return false
    this.busy.set(true)
    this.failure.set(undefined)
    try {
      await action()
      return true
    } catch (thrown) {
      this.failure.set(failureText(thrown))
      return false
    } finally {
      this.busy.set(false)
    }
  }
}
