import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'smol-toml'

export type ConfigFile = { path: string; get(key: string): unknown }

/**
 * Reads the named file, or `parley.toml` in the working directory if there is one. `problem` says why the file cannot
 * be read or is not TOML.
 */
export function readConfigFile(namedPath: string | undefined): { file?: ConfigFile; problem?: string } {
  const path = resolve(namedPath ?? 'parley.toml')
  if (namedPath === undefined && !existsSync(path)) return {}
  try {
    const table = parse(readFileSync(path, 'utf8'))
    return { file: { path, get: (key) => key.split('.').reduce(valueIn, table) } }
  } catch (error) {
    return { problem: `${path}: ${reasonOf(error)}` }
  }
}

function valueIn(table: unknown, key: string): unknown {
  return typeof table === 'object' && table !== null && Object.hasOwn(table, key)
    ? (table as Record<string, unknown>)[key]
    : undefined
}

// The parser's message quotes lines of the file, which may contain a secret, so only the position and the problem are
// reported.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read'
  if ('line' in error && 'column' in error) {
    return `line ${String(error.line)}, column ${String(error.column)}: ${error.message.split('\n')[0] ?? ''}`
  }
  return 'code' in error ? `cannot be read (${String(error.code)})` : error.message
}
