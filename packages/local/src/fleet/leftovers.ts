import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { endLeftover } from '../infrastructure/index.ts'
import type { DataDir } from './data-dir.ts'

/** Returns the names of the processes that it has ended. */
export async function endLeftovers(dir: DataDir): Promise<string[]> {
  const files = readdirSync(dir.run).filter((file) => file.endsWith('.pid') && join(dir.run, file) !== dir.lockFile)
  const ended = await Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.pid'.length)
      // SIGINT makes PostgreSQL shut down fast; with SIGTERM it would wait for its clients.
      const signals: NodeJS.Signals[] = name === 'postgres' ? ['SIGINT', 'SIGQUIT'] : ['SIGTERM']
      return (await endLeftover(join(dir.run, file), signals)) ? [name] : []
    }),
  )
  return ended.flat()
}
