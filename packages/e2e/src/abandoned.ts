import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirAt } from '@parley/local'
import { endLeftover, readPidFile } from '@parley/local/infrastructure'
import { dataFolders, newDataFolder } from '@parley/testkit'

const prefix = 'parley-e2e-'

/** The caller removes the folder. If this run is killed, a later one removes it. */
export function temporaryDataDir(): string {
  const dir = newDataFolder(prefix)
  // PostgreSQL may run as another user, who must be able to reach its folder inside this one.
  chmodSync(dir, 0o755)
  return dir
}

/** Stops the servers that still run in an abandoned folder before it removes the folder. */
export async function removeAbandonedDataDirs(): Promise<void> {
  for (const dir of dataFolders(prefix)) {
    const { root, run, lockFile } = dataDirAt(dir)
    // A folder without a lock file is still being created.
    if (!existsSync(lockFile) || readPidFile(lockFile) !== undefined) continue
    const pidFiles = readdirSync(run).filter((file) => file.endsWith('.pid') && join(run, file) !== lockFile)
    for (const file of pidFiles) await endLeftover(join(run, file), ['SIGTERM', 'SIGQUIT'], 2_000)
    rmSync(root, { recursive: true, force: true })
  }
}
