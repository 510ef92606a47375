import { appendFileSync, closeSync, openSync } from 'node:fs'
import { copyFile, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'

/**
 * A log file. Lines that cannot be written, as on a full disk, are lost. Their number is logged before the next line.
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
 * Until the result is disposed, limits every log in a folder to about `maxBytes`, and keeps one older generation as
 * `<file>.1`. The files are truncated, not replaced, because servers keep them open and append to them.
 */
export function rotateLogs(folder: string, { maxBytes = 20_000_000, everyMs = 10_000 } = {}): Disposable {
  const disposed = new AbortController()
  const rotateRepeatedly = async () => {
    await rotateOnce(folder, maxBytes)
    for await (const _ of setInterval(everyMs, undefined, { signal: disposed.signal, ref: false }))
      await rotateOnce(folder, maxBytes)
  }
  rotateRepeatedly().catch(() => undefined)
  return { [Symbol.dispose]: () => disposed.abort() }
}

async function rotateOnce(folder: string, maxBytes: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith('.log')) continue
    const file = join(folder, name)
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    )
    if (size > maxBytes) await rotate(file)
  }
}

/** If the copy fails, as on a full disk, the older lines are discarded: the log must not grow. */
async function rotate(file: string): Promise<void> {
  await copyFile(file, `${file}.1`).catch(() => rm(`${file}.1`, { force: true }))
  await truncate(file).catch(() => undefined)
}
