import { appendFileSync, closeSync, openSync } from 'node:fs'
import { copyFile, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'

/**
 * A log file. Lines that do not fit on a full disk are lost, and their number is logged as soon as there is space
 * again.
 */
export class LogFile {
  readonly #file: string
  #fd: number | undefined
  #lost = 0

  constructor(file: string) {
    this.#file = file
  }

  append(line: string): void {
    try {
      this.#fd ??= openSync(this.#file, 'a', 0o600)
      appendFileSync(this.#fd, this.#lost === 0 ? `${line}\n` : `\n${this.#lost} lines are missing here\n${line}\n`)
      this.#lost = 0
    } catch {
      this.#lost++
      this.close()
    }
  }

  close(): void {
    const fd = this.#fd
    this.#fd = undefined
    try {
      if (fd !== undefined) closeSync(fd)
    } catch {
      // Some file systems report a full disk only on close.
    }
  }
}

/**
 * Keeps every log of a folder at about `largestBytes`, and one older generation of it as `<file>.1`, until it is
 * disposed. The files are truncated, not replaced, because servers keep them open and append to them.
 */
export function boundLogs(folder: string, { largestBytes = 20_000_000, everyMs = 10_000 } = {}): Disposable {
  const over = new AbortController()
  const keepBound = async () => {
    await boundOnce(folder, largestBytes)
    for await (const _ of setInterval(everyMs, undefined, { signal: over.signal, ref: false }))
      await boundOnce(folder, largestBytes)
  }
  keepBound().catch(() => undefined) // aborted when disposed
  return { [Symbol.dispose]: () => over.abort() }
}

async function boundOnce(folder: string, largestBytes: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith('.log')) continue
    const file = join(folder, name)
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    )
    if (size > largestBytes) await rotate(file)
  }
}

/** On a full disk the older log file is discarded: the log must not grow. */
async function rotate(file: string): Promise<void> {
  await copyFile(file, `${file}.1`).catch(() => rm(`${file}.1`, { force: true }))
  await truncate(file).catch(() => undefined)
}
