import { readFileSync } from 'node:fs'
import type { OperatorAccess } from '@parley/local'
import { dataDirAt } from '@parley/local/data-dir'
import { unreachable } from './failure.ts'

/** Reads the operator file of the fleet. Throws if it is missing, unreadable or damaged. */
export function readAccess(dataDir: string): OperatorAccess {
  const { operatorFile, root } = dataDirAt(dataDir)
  const access = parse(readOperatorFile(operatorFile, root))
  if (access === undefined) throw unreachable(`${operatorFile} is damaged; start the fleet again`)
  return access
}

function readOperatorFile(file: string, root: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EACCES')
      throw unreachable(`no permission to read ${file}; run this command as the user who runs the fleet`)
    throw unreachable(
      `no fleet runs on ${root}; start one with make run, or set its data folder with --data-dir or PARLEY_DATA_DIR`,
    )
  }
}

function parse(text: string): OperatorAccess | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const { natsUrl, natsUser, natsPassword } = value as Record<string, unknown>
    if (typeof natsUrl !== 'string' || typeof natsUser !== 'string' || typeof natsPassword !== 'string')
      return undefined
    return { natsUrl, natsUser, natsPassword }
  } catch {
    return undefined
  }
}
