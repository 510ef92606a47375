DROP INDEX "push_jobs_due";--> statement-breakpoint
DROP INDEX "push_jobs_by_tag";--> statement-breakpoint
ALTER TABLE "push_jobs" ADD COLUMN "lane" text DEFAULT 'soon' NOT NULL;--> statement-breakpoint
CREATE INDEX "push_jobs_due" ON "push_jobs" USING btree ("host","lane","due_at");--> statement-breakpoint
CREATE INDEX "push_jobs_by_tag" ON "push_jobs" USING btree ("tag","user_id");