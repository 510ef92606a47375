import { compactDeployables, factsOf } from '@parley/contracts/deployables'
import { runMigrations } from '@parley/postgres'

const owners = compactDeployables.filter((name) => factsOf(name).database)
await Promise.all(
  owners.map((name) => runMigrations(name, new URL(`../../../services/${name}/drizzle`, import.meta.url))),
)
