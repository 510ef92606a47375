import { mkdtempSync, readdirSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** Identifies tmpfs. */
const tmpfs = 0x01021994
/** Free space in memory for which its files are worth it: a run uses up to about two gigabytes. */
const roomyBytes = 8 * 2 ** 30

/**
 * A new temporary folder for the data of a server under test, whose name begins with the prefix. It is in memory where
 * there is much of it: the server makes and deletes thousands of small files, each of which can take a millisecond of
 * processor time on a disk.
 */
export function newDataFolder(prefix: string): string {
  return mkdtempSync(join(isRoomy() ? memory : tmpdir(), prefix))
}

/** All folders that {@link newDataFolder} made with the prefix, also those of earlier runs. */
export function dataFolders(prefix: string): string[] {
  return [memory, tmpdir()].flatMap((root) =>
    entriesOf(root).flatMap((name) => (name.startsWith(prefix) ? [join(root, name)] : [])),
  )
}

function isRoomy(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(memory)
    return type === tmpfs && Math.min(bavail * bsize, freemem()) >= roomyBytes
  } catch {
    return false
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
