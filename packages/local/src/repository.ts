import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function repositoryRoot(): string {
  let dir = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(dir, 'pnpm-workspace.yaml'))) {
    const parent = dirname(dir)
    if (parent === dir) throw new Error('the Parley checkout was not found above ' + fileURLToPath(import.meta.url))
    dir = parent
  }
  return dir
}

export const compileCache = (): string => join(repositoryRoot(), 'node_modules/.cache/node')
