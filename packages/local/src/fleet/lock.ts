import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, lockByKernel, readPidFile } from '../infrastructure/index.ts'

/** Longer than another process needs between checking the lock and taking it. */
const verifyAfterMs = 50

class DataDirInUse extends Error {
  constructor(root: string, pid: number | undefined) {
    const holder = pid === undefined ? 'in another container, or on the host of this container' : `process ${pid}`
    super(
      `another Parley runs on ${root} (${holder}); stop it first, or set PARLEY_DATA_DIR and PARLEY_PORT for a second one`,
    )
  }
}

/** Throws when another process has the lock. */
export async function lockDataDir(root: string, lockFile: string): Promise<Disposable> {
  mkdirSync(dirname(lockFile), { recursive: true, mode: 0o700 })
  const holder = readPidFile(lockFile)
  if (holder !== undefined) throw new DataDirInUse(root, holder.pid)
  const lock = lockByKernel(`${lockFile}.lock`)
  if (lock === undefined) throw new DataDirInUse(root, undefined)
  try {
    const own = `${lockFile}.${process.pid}`
    writeFileSync(own, JSON.stringify(identify(process.pid)))
    renameSync(own, lockFile)
    await sleep(verifyAfterMs)
    const winner = readPidFile(lockFile)
    if (winner?.pid !== process.pid) throw new DataDirInUse(root, winner?.pid)
  } catch (error) {
    lock.release()
    throw error
  }
  return {
    [Symbol.dispose]: () => {
      rmSync(lockFile, { force: true })
      lock.release()
    },
  }
}
