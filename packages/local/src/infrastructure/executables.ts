import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const commonFolders = ['/usr/local/sbin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/** PATH first, then folders that are often missing from the PATH of ordinary users. */
export function executableFolders(): string[] {
  const path = (process.env.PATH ?? '').split(delimiter).filter((dir) => dir !== '')
  return [...new Set([...path, ...commonFolders])]
}

export function findExecutable(name: string): string | undefined {
  return executableFolders()
    .map((dir) => join(dir, name))
    .find(isExecutable)
}

export const hasFfmpeg = (): boolean => ['ffmpeg', 'ffprobe'].every((name) => findExecutable(name) !== undefined)

export function isExecutable(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
