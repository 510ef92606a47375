import { mkdtempSync, readdirSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const tmpfs = 0x01021994
/** Memory that must be free to keep data folders there: a run uses up to about two gigabytes. */
const roomyBytes = 8 * 2 ** 30

/**
 * The folder is in memory if there is enough: servers create and delete thousands of small files, each of which can
 * cost a millisecond of processor time on a disk.
 */
export function newDataFolder(prefix: string): string {
  return mkdtempSync(join(isRoomy() ? memory : tmpdir(), prefix))
}

/** Includes the folders of earlier runs. */
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
