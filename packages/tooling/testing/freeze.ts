import { existsSync, readFileSync } from 'node:fs'

const pause = new Int32Array(new SharedArrayBuffer(4))

/** Stops a process until the result is disposed. On Linux, blocks until the process has stopped. */
export function freeze(pid: number): Disposable {
  process.kill(pid, 'SIGSTOP')
  const status = `/proc/${pid}/stat`
  // The state follows the name of the program, which is in parentheses.
  while (existsSync(status) && !/\) [TtZX]/.test(readFileSync(status, 'utf8'))) Atomics.wait(pause, 0, 0, 1)
  return { [Symbol.dispose]: () => void process.kill(pid, 'SIGCONT') }
}
