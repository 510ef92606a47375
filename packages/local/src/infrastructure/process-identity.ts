import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type ProcessIdentity = { pid: number; startedAt: string }

/** A zombie counts as ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTicks(pid) : startDate(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt
}

export function programOf(pid: number): string | undefined {
  if (process.platform === 'linux') return readProc(`/proc/${pid}/comm`)?.trim()
  return ps(pid, 'comm')?.split('/').at(-1)
}

function startTicks(pid: number): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`)
  // The second field is the program's name in brackets and may itself hold brackets and spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${fields[19]} ${readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}`
}

function startDate(pid: number): string | undefined {
  return ps(pid, 'stat')?.startsWith('Z') ? undefined : ps(pid, 'lstart')
}

function ps(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
