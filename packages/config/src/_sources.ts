import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from '@jest/globals'
import { ConfigError } from './error.ts'

/** The problems that `read` reports; none if it succeeds. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

/** Returns a function that writes a configuration file and returns its path. The file is deleted after the test. */
export function useConfigFile(): (content: string) => string {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'config-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))
  return (content) => {
    const path = join(directory, 'parley.toml')
    writeFileSync(path, content)
    return path
  }
}
