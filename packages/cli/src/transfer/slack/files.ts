import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { misused } from '../../failure.ts'
import type { ArchivedFile } from '../archive.ts'
import { fileAt } from '../local-file.ts'
import type { ZipArchive } from './zip-archive.ts'

export type Files = { find: (id: string) => ArchivedFile['bytes'] }

/** Matches `F0123ABCD-plan.pdf`, `F0123ABCD/plan.pdf` and `F0123ABCD.pdf` anywhere in a path. */
const idInPath = /(?:^|[/\\])(F[A-Z0-9]{6,})(?:[-_./\\]|$)/

/** Files of the folder take precedence. Nothing is downloaded. */
export async function findFiles(zip: ZipArchive, folder: string | undefined): Promise<Files> {
  const found = new Map<string, NonNullable<ArchivedFile['bytes']>>()
  for (const name of zip.names()) {
    const id = idInPath.exec(name)?.[1]
    if (id !== undefined) found.set(id, async () => ({ size: zip.size(name), stream: zip.stream(name) }))
  }
  if (folder !== undefined) {
    for (const path of await filesBelow(folder)) {
      const id = idInPath.exec(path)?.[1]
      if (id !== undefined) found.set(id, () => fileAt(folder, path))
    }
  }
  return { find: (id) => found.get(id) }
}

/** Leaves out links: in an untrusted folder they may point anywhere. */
async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.flatMap((entry) => (entry.isFile() ? relative(folder, join(entry.parentPath, entry.name)) : []))
  } catch {
    throw misused(`the folder ${folder} cannot be read`)
  }
}
