CREATE TABLE "erasures" (
	"user_id" text NOT NULL,
	"pass" integer NOT NULL,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"found" bigint DEFAULT 0 NOT NULL,
	"reported_at" timestamp with time zone,
	CONSTRAINT "erasures_user_id_pass_pk" PRIMARY KEY("user_id","pass")
);
--> statement-breakpoint
CREATE INDEX "erasures_waiting" ON "erasures" USING btree ("requested_at") WHERE reported_at is null;