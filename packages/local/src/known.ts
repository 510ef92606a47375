export { knownEnvironment } from './fleet/known-environment.ts'
export { retireSecret, rotatableSecrets, rotateSecret, type RotatableSecret } from './fleet/rotation.ts'
export { parleyServices } from './fleet/service-list.ts'
export { repositoryRoot } from './repository.ts'
