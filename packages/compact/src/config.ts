import { defineConfig, list, processFields } from '@parley/config'
import { type CompactDeployable, compactDeployables } from '@parley/contracts/deployables'

const read = defineConfig({
  ...processFields(),
  deployables: list('PARLEY_COMPACT_DEPLOYABLES', {
    default: [...compactDeployables],
    pattern: new RegExp(`^(${compactDeployables.join('|')})$`),
    doc: 'deployables that the compact process runs; the others run in their own processes',
  }),
})

/** Reads the settings of the process itself; each deployable in it reads its own. */
export const readConfig = (sources: Parameters<typeof read>[0]) => {
  const { deployables, ...config } = read(sources)
  return {
    ...config,
    deployables: compactDeployables.filter((name): name is CompactDeployable => deployables.includes(name)),
  }
}
