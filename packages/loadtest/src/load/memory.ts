import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export function residentKib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN)
  } catch {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  }
}

/**
 * Proportional memory of a process (PSS) in KiB: a page that n processes share counts as 1/n. NaN if the system does
 * not report it or the process has ended.
 */
export function proportionalKib(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? Number.NaN)
  } catch {
    return Number.NaN
  }
}
