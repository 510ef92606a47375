import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newDataFolder } from '@parley/tooling/data-folder'

type Folder = Disposable & { path: string }

export const temporaryFolder = (): Folder => openToAll(mkdtempSync(join(tmpdir(), 'parley-local-')))

/** The folder may be on a file system that does not allow executing programs. */
export const temporaryDataFolder = (): Folder => openToAll(newDataFolder('parley-local-'))

function openToAll(path: string): Folder {
  chmodSync(path, 0o755)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
