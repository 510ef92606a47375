export { repositoryRoot } from './repository.ts'
