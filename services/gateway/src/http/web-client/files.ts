import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

/** Encodings in which the build of the web client also stores its files, in order of preference. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** Name of a content encoding. */
export type Encoding = (typeof encodings)[number]['name']

/** A file of the web client, in memory. */
export type ClientFile = {
  body: Buffer
  compressed: ReadonlyMap<Encoding, Buffer>
  contentType: string
  /** Whether its name changes with its content, so that caches may keep it. */
  immutable: boolean
  etag: string
}

const contentTypes = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
  ['.webmanifest', 'application/manifest+json'],
])

/** Folder of the files whose names contain a hash of their content. */
const hashedFolder = '/app/'

/**
 * Reads the files of a built web client that have a known content type, by the path at which they are served, each
 * together with its compressed forms. Empty if there are none. Only these files can be served, so no path leads out of
 * the folder.
 */
export async function readClientFiles(folder: string): Promise<ReadonlyMap<string, ClientFile>> {
  const files = new Map<string, ClientFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const known = new Set(paths)
  for (const path of paths) {
    const contentType = contentTypes.get(extname(path))
    if (contentType === undefined) continue
    const servedAt = `/${relative(folder, path).split(sep).join('/')}`
    const body = await readFile(path)
    const compressed = new Map<Encoding, Buffer>()
    for (const { name, suffix } of encodings) {
      if (known.has(path + suffix)) compressed.set(name, await readFile(path + suffix))
    }
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    files.set(servedAt, { body, compressed, contentType, immutable: servedAt.startsWith(hashedFolder), etag })
  }
  return files
}
