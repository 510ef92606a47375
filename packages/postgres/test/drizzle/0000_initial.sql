CREATE TABLE "things" (
	"id" bigint PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"made_at" timestamp with time zone NOT NULL,
	CONSTRAINT "things_name_unique" UNIQUE("name")
);
