import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Only this user may read the file. A reader sees either the old or the new content. */
export function writeAtomically(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}.new`
  writeFileSync(unfinished, content, { mode: 0o600 })
  renameSync(unfinished, file)
}

export function readJson(file: string): Record<string, unknown> | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const value: unknown = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${file} is damaged`)
  return { ...value }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
