import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const workspace = fileURLToPath(new URL('../..', import.meta.url))
const tests = ['src/**/*.test.ts', 'test/**/*.test.ts', 'test/programs/*.ts']

/** Every package and service with the entry points that build.mjs bundles; its exports are entry points too. */
function workspaces(kind) {
  const named = readdirSync(workspace + kind).filter((name) => existsSync(`${workspace}${kind}/${name}/package.json`))
  return named.map((name) => {
    const { parley } = JSON.parse(readFileSync(`${workspace}${kind}/${name}/package.json`, 'utf8'))
    const usual = ['src/main.ts', 'src/migrate.ts', 'src/operate.ts', 'src/print-config.ts', 'src/doctor.ts']
    const entry = [...(parley?.entries ?? usual), 'src/store/schema.ts', ...tests]
    return [`${kind}/${name}`, { entry, project: ['src/**/*.ts', 'test/**/*.ts'] }]
  })
}

/** Finds files, exports and dependencies that nothing uses. */
export default {
  workspaces: {
    '.': { entry: [], project: [] },
    ...Object.fromEntries([...workspaces('packages'), ...workspaces('services')]),
    'packages/cli': {
      ...workspaces('packages').find(([name]) => name === 'packages/cli')?.[1],
      ignoreBinaries: ['mkfifo'],
    },
    'packages/compact': {
      ...workspaces('packages').find(([name]) => name === 'packages/compact')?.[1],
      // Native addons, which are not bundled.
      ignoreDependencies: ['@node-rs/argon2', 'sharp'],
    },
    'packages/web': {
      entry: ['src/main.ts', ...tests],
      project: ['src/**/*.{ts,svelte}', 'build/*.ts'],
      // svelte-check looks for it by name.
      ignoreDependencies: ['@typescript/native'],
    },
    'packages/local': {
      ...workspaces('packages').find(([name]) => name === 'packages/local')?.[1],
      ignoreBinaries: ['make', 'perl', 'unshare'],
    },
    'packages/tooling': {
      entry: [
        '*.{js,cjs,mjs}',
        'deploy/replace-uwebsockets.mjs',
        'testing/reporter.mjs',
        'test/*.test.mjs',
        'test/fixtures/*/*.mjs',
      ],
      project: ['*.{js,cjs,mjs}', '{deploy,scaling,testing}/**/*.{mjs,ts}', 'test/**/*.mjs'],
      // Tools that are run by path, and what they need; the models of Kubernetes are imported by a computed name.
      ignoreDependencies: ['dependency-cruiser', 'drizzle-orm', 'jest', 'kubernetes-models', /^@kubernetes-models/],
      // Optional programs, used if they are installed.
      ignoreBinaries: ['helm', 'kubeconform', 'docker-compose', 'promtool', 'setpriv'],
    },
  },
  // A command, and a plugin that buf calls to generate the contract.
  ignoreDependencies: ['@bufbuild/buf', '@bufbuild/protoc-gen-es'],
  // A parameter's type may be exported beside its function.
  ignoreExportsUsedInFile: { interface: true, type: true },
}
