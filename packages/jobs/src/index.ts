export { JobQueue, type Job } from './job-queue.ts'
export { runJobs, type JobFailure, type JobRunnerOptions, type RetryPolicy } from './run-jobs.ts'
