import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const divisor = 60
const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** A process that is frozen repeatedly is scraped so rarely that shorter windows would contain too few samples. */
const shortestWindowSeconds = 10

/** `[5m]`, `offset 10m`, `for: 5m`. */
const durations = /(\[|offset |for: )(\d+)([smhd])/g

/** Divides every window, offset and wait by 60, but leaves no window shorter than ten seconds. Returns the path. */
export function writeShorterRules(file: string, folder: string): string {
  const written = join(folder, basename(file))
  const shorter = readFileSync(file, 'utf8').replaceAll(durations, (_, before: string, count: string, unit: string) => {
    const seconds = Math.ceil((Number(count) * (secondsOf[unit] ?? 1)) / divisor)
    return `${before}${before === '[' ? Math.max(seconds, shortestWindowSeconds) : seconds}s`
  })
  writeFileSync(written, shorter)
  return written
}
