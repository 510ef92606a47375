CREATE TABLE "push_jobs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "push_jobs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subscription_id" bigint NOT NULL,
	"user_id" text NOT NULL,
	"host" text NOT NULL,
	"action" text NOT NULL,
	"tag" text NOT NULL,
	"notification_id" text DEFAULT '' NOT NULL,
	"room_id" text DEFAULT '' NOT NULL,
	"event_id" text DEFAULT '' NOT NULL,
	"thread_root_event_id" text DEFAULT '' NOT NULL,
	"actor_id" text DEFAULT '' NOT NULL,
	"kind" text,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_until" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"withdrawn" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_subscriptions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "push_subscriptions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"endpoint_digest" "bytea" NOT NULL,
	"endpoint" text NOT NULL,
	"host" text NOT NULL,
	"user_id" text NOT NULL,
	"p256dh" text NOT NULL,
	"auth" text NOT NULL,
	"user_agent" text,
	"registered_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "push_jobs" ADD CONSTRAINT "push_jobs_subscription_id_push_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."push_subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "push_jobs_due" ON "push_jobs" USING btree ("host","due_at");--> statement-breakpoint
CREATE INDEX "push_jobs_by_tag" ON "push_jobs" USING btree ("user_id","tag");--> statement-breakpoint
CREATE INDEX "push_jobs_by_subscription" ON "push_jobs" USING btree ("subscription_id","tag");--> statement-breakpoint
CREATE INDEX "push_jobs_by_age" ON "push_jobs" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "push_subscriptions_endpoint" ON "push_subscriptions" USING btree ("endpoint_digest");--> statement-breakpoint
CREATE INDEX "push_subscriptions_by_user" ON "push_subscriptions" USING btree ("user_id","registered_at");