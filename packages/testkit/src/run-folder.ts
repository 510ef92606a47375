import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endLeftover, readPidFile, writePidFile } from '@parley/local/infrastructure'
import { dataFolders, newDataFolder } from '@parley/tooling/data-folder'

const prefix = 'parley-test-'

/** A new temporary folder. If this process is killed, {@link removeAbandonedFolders} of a later run removes it. */
export function temporaryFolder(): string {
  const dir = newDataFolder(prefix)
  writePidFile(join(dir, 'owner.pid'), process.pid)
  return dir
}

/** Removes temporary folders whose process has ended, and ends servers that still run in them. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const dir of dataFolders(prefix)) {
    const owner = join(dir, 'owner.pid')
    if (!existsSync(owner) || readPidFile(owner) !== undefined) continue
    for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('server.pid')) await endLeftover(join(dir, file), ['SIGQUIT', 'SIGTERM'])
    }
    rmSync(dir, { recursive: true, force: true })
  }
}
