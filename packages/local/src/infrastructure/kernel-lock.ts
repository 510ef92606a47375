import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { findExecutable } from './executables.ts'

/** A lock of the kernel. A child that inherits `fd` holds it too, until it ends; undefined where there are no such locks. */
export type KernelLock = { fd: number | undefined; release: () => void }

/**
 * Locks a file; undefined when another process holds the lock. Pids are meaningless in another container, but a kernel
 * lock also works there, for as long as a descriptor is open. Uses a command of util-linux; systems without it do not
 * have containers either.
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
