import { existsSync } from 'node:fs'
import { type FleetOptions, startFleet } from '@parley/local'
import type { Report } from '../report.ts'

const maxSeconds = { separate: 4, compact: 2 }

/** Measures the time until every process is ready. Without a data directory, the fleet is started once before. */
export async function measureRestart(options: FleetOptions, report: Report): Promise<void> {
  if (!existsSync(options.dataDir)) {
    await using _ = await startFleet(options)
  }
  const start = performance.now()
  await using _ = await startFleet(options)
  const seconds = (performance.now() - start) / 1000
  report.add('start of an installed fleet', seconds, 's', undefined, maxSeconds[options.layout ?? 'separate'])
}
