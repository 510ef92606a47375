import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFleet } from '@parley/local'
import { probeContract, type Verdict } from './load/probe-contract.ts'

const marks: Record<Verdict, string> = { implemented: '  yes ', unimplemented: '   -  ', 'no owner': '  !!  ' }

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(
      'make contract: starts a temporary fleet, calls every public method and prints which ones are implemented.\nExits with 1 if there is a method that no service answers.',
    )
    return
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-contract-'))
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the directory.
  chmodSync(dataDir, 0o755)
  try {
    const owner = { login: 'prober', password: 'a password for probing' }
    await using fleet = await startFleet({ dataDir, port: 0, owner, fsync: false, say: (line) => console.error(line) })
    const verdicts = await probeContract(fleet.url, owner)
    let service = ''
    for (const { method, verdict } of verdicts) {
      if (method.parent.typeName !== service) console.log(`\n${(service = method.parent.typeName)}`)
      console.log(`${marks[verdict]} ${method.name}${verdict === 'implemented' ? '' : `  (${verdict})`}`)
    }
    const count = (wanted: Verdict) => verdicts.filter(({ verdict }) => verdict === wanted).length
    console.log(
      `\n${verdicts.length} methods: ${count('implemented')} implemented, ${count('unimplemented')} unimplemented, ${count('no owner')} no owner`,
    )
    if (count('no owner') > 0) process.exitCode = 1
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

await main()
