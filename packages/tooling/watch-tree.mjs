import { readdirSync, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'

const leftOut = ['node_modules', 'dist']

/**
 * Calls `onEdit` with the path of each file that changes below `root`, except in `node_modules` and `dist`, until the
 * result is disposed. Node's own recursive watching loses a file on Linux when an editor saves by renaming another file
 * over it.
 */
export function watchTree(root, onEdit) {
  const watchers = new Map()
  const add = (folder) => {
    if (watchers.has(folder) || leftOut.includes(basename(folder))) return
    const watcher = watch(folder, (_, name) => {
      if (name === null) return
      const path = join(folder, name)
      if (isFolder(path)) add(path)
      else onEdit(path)
    })
    watcher.on('error', () => remove(folder))
    watchers.set(folder, watcher)
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) add(join(folder, entry.name))
    }
  }
  const remove = (folder) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  add(root)
  return { [Symbol.dispose]: () => [...watchers.keys()].forEach(remove) }
}

const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
