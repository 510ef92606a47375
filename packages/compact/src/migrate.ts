import { compactDeployables, propertiesOf } from '@parley/contracts/deployables'
import { runMigrations } from '@parley/postgres'

const owners = compactDeployables.filter((name) => propertiesOf(name).database)
await Promise.all(
  owners.map((name) => runMigrations(name, new URL(`../../../services/${name}/drizzle`, import.meta.url))),
)
