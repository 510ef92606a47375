import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { findExecutable } from './executables.ts'

/**
 * A lock of the kernel. A child that inherits `fd` also holds the lock until it ends. `fd` is undefined if the program
 * `flock` is not installed; then nothing is locked.
 */
export type KernelLock = { fd: number | undefined; release: () => void }

/**
 * Returns undefined if another process holds the lock. Unlike a pid file, the lock works across containers, and lasts
 * as long as a descriptor is open.
 */
export function lockByKernel(file: string): KernelLock | undefined {
  const flock = findExecutable('flock')
  if (flock === undefined) return { fd: undefined, release: () => {} }
  const fd = openSync(file, 'a', 0o600)
  const { status } = spawnSync(flock, ['--nonblock', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
  // Locked, or on a file system without locks.
  if (status !== 1) return { fd, release: () => closeSync(fd) }
  closeSync(fd)
  return undefined
}
