import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs'

const largestBytes = 20_000_000

/** Opens a log to append to. What grew too large in earlier runs is set aside, one generation of it. */
export function openLog(file: string): WriteStream {
  setAsideLarge(file)
  return createWriteStream(file, { flags: 'a', mode: 0o600 })
}

/** Renames a log that is too large to `<file>.1`. */
export function setAsideLarge(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > largestBytes) renameSync(file, `${file}.1`)
}
