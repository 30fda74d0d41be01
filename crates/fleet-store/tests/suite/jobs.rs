//! The queue of work: leases, fencing, attempts, and workers that are killed.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ordain_fleet_store::{
    Database, LeasedBatch, Postgres, add_batches, advance_fleet_job, batch_results, complete_batch,
    create_fleet_job, delete_old_fleet_jobs, fail_batch, lease_batch, now, open_fleet_jobs,
    put_shared_input, read, remove_fleet_job, renew_batch, shared_input, write,
};

use crate::databases::{with_each, with_postgres};

const NOW: i64 = 1_795_694_400_000_000;
const SECOND: i64 = 1_000_000;
const ATTEMPTS: i64 = 3;

/// A job with batches `0`, `1` and so on.
fn create(database: &dyn Database, batches: usize, now: i64) -> i64 {
    let inputs: Vec<Vec<u8>> = (0..batches).map(|number| number.to_string().into_bytes()).collect();
    write(database, |connection| {
        let job = create_fleet_job(connection, "root", "{}", now)?;
        add_batches(connection, job, 0, &inputs)?;
        Ok(job)
    })
    .unwrap()
}

/// Leases a batch for ten seconds.
fn lease(database: &dyn Database, job: i64, worker: &str, now: i64) -> Option<LeasedBatch> {
    write(database, |c| lease_batch(c, job, worker, ATTEMPTS, (now, now + 10 * SECOND))).unwrap()
}

fn complete(database: &dyn Database, batch: &LeasedBatch, result: &str, now: i64) -> bool {
    write(database, |c| complete_batch(c, batch, result.as_bytes(), now)).unwrap()
}

fn results(database: &dyn Database, job: i64, first: i64) -> Vec<String> {
    let found = read(database, None, |c| batch_results(c, job, first, 100)).unwrap();
    found.into_iter().map(|result| String::from_utf8(result).unwrap()).collect()
}

#[test]
fn a_lease_that_ended_stores_no_result() {
    with_each(|database| {
        let job = create(database, 1, NOW);
        let first = lease(database, job, "first", NOW).unwrap();
        assert_eq!((first.ordinal, first.epoch, &first.input[..]), (0, 1, &b"0"[..]));
        assert_eq!(lease(database, job, "second", NOW + 9 * SECOND), None);
        let renew = |now| write(database, |c| renew_batch(c, &first, (now, now + 10 * SECOND)));
        assert!(renew(NOW + 9 * SECOND).unwrap());
        assert_eq!(lease(database, job, "second", NOW + 18 * SECOND), None);
        // The lease has ended, but nobody else has one: the result would be the only one. It is
        // refused nevertheless, since another worker may lease the batch at any time.
        assert!(!complete(database, &first, "late", NOW + 19 * SECOND));
        let second = lease(database, job, "second", NOW + 19 * SECOND).unwrap();
        assert_eq!(second.epoch, 2);
        assert!(!complete(database, &first, "late", NOW + 20 * SECOND));
        assert!(!renew(NOW + 20 * SECOND).unwrap());
        assert!(complete(database, &second, "good", NOW + 20 * SECOND));
        assert!(!complete(database, &second, "twice", NOW + 20 * SECOND));
        assert_eq!(results(database, job, 0), ["good"]);
        assert_eq!(lease(database, job, "third", NOW + 99 * SECOND), None);
    });
}

#[test]
fn batches_fail_after_some_attempts() {
    with_each(|database| {
        let job = create(database, 2, NOW);
        let progress = |now| {
            let found = write(database, |c| advance_fleet_job(c, job, ATTEMPTS, now)).unwrap();
            found.unwrap()
        };
        for attempt in 1..=ATTEMPTS {
            assert_eq!(progress(NOW).failed, None, "{attempt}");
            // The batch that failed comes after those that were never leased.
            let batch = lease(database, job, "worker", NOW).unwrap();
            let other = lease(database, job, "other", NOW);
            let batch = match (attempt, other) {
                (1, Some(other)) => {
                    assert!(complete(database, &other, "good", NOW));
                    batch
                }
                (_, None) => batch,
                (_, Some(other)) => panic!("{other:?}"),
            };
            assert_eq!((batch.ordinal, batch.epoch), (0, attempt));
            assert_eq!((progress(NOW).leased, progress(NOW).workers), (1, 1));
            assert!(write(database, |c| fail_batch(c, &batch, "no memory", NOW)).unwrap());
            assert!(!write(database, |c| fail_batch(c, &batch, "again", NOW)).unwrap());
        }
        assert_eq!(lease(database, job, "worker", NOW), None);
        let end = progress(NOW);
        assert_eq!((end.batches, end.done, end.leased), (2, 1, 0));
        assert_eq!(end.failed, Some((0, Some("no memory".to_owned()))));
        // Results are read in order, up to the first that is missing.
        assert!(results(database, job, 0).is_empty());
        assert_eq!(results(database, job, 1), ["good"]);
    });
}

#[test]
fn a_job_without_a_waiting_process_ends_and_is_deleted() {
    with_each(|database| {
        let job = create(database, 2, NOW);
        let open = |now| {
            let jobs = read(database, None, |c| open_fleet_jobs(c, now)).unwrap();
            jobs.into_iter().map(|job| job.id).collect::<Vec<_>>()
        };
        write(database, |c| put_shared_input(c, job, b"shared")).unwrap();
        let shared = read(database, None, |c| shared_input(c, job)).unwrap();
        assert_eq!(shared.as_deref(), Some(&b"shared"[..]));
        let advance = |job, now| write(database, |c| advance_fleet_job(c, job, ATTEMPTS, now));
        assert!(advance(job, NOW + 50 * SECOND).unwrap().is_some());
        assert_eq!(open(NOW + 100 * SECOND), [job]);
        assert!(open(NOW + 120 * SECOND).is_empty());
        let delete = |now| write(database, |c| delete_old_fleet_jobs(c, now)).unwrap();
        assert_eq!(delete(NOW + 600 * SECOND), 0);
        assert_eq!(delete(NOW + 3800 * SECOND), 1);
        assert!(advance(job, NOW + 3800 * SECOND).unwrap().is_none());
        let other = create(database, 2, NOW);
        write(database, |c| remove_fleet_job(c, other)).unwrap();
        assert_eq!(lease(database, other, "worker", NOW), None);
    });
}

#[test]
fn workers_share_a_job_without_overlap() {
    with_postgres(|address| {
        let database = Postgres::connect(address, 4).unwrap();
        let job = create(&database, 200, now());
        let work = || {
            let mut own = Vec::new();
            while let Some(batch) = lease(&database, job, "worker", now()) {
                assert!(complete(&database, &batch, &batch.ordinal.to_string(), now()));
                own.push((batch.ordinal, batch.epoch));
            }
            own
        };
        let mut all = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
        });
        all.sort_unstable();
        assert_eq!(all, (0..200).map(|ordinal| (ordinal, 1)).collect::<Vec<_>>());
        let results = read(&database, None, |c| batch_results(c, job, 0, 200)).unwrap();
        assert_eq!(results.len(), 200);
    });
}

/// The variable by which [`killed_worker`] gets the database and the job.
const PLACE: &str = "ORDAIN_TEST_QUEUE";

/// Leases a batch and never ends. Does nothing unless [`PLACE`] is set.
#[test]
fn killed_worker() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let (job, address) = place.split_once(' ').unwrap();
    let database = Postgres::connect(address, 1).unwrap();
    let end = now() + 2 * SECOND;
    let job = job.parse().unwrap();
    let batch = write(&database, |c| lease_batch(c, job, "killed", ATTEMPTS, (now(), end)));
    assert!(batch.unwrap().is_some());
    // A second transaction holds the row when the process is killed.
    let _ = write(&database, |c| {
        c.execute("UPDATE fleet_job_batches SET error = 'unfinished' WHERE ordinal = 1", &[])?;
        std::thread::sleep(Duration::from_secs(600));
        Ok(())
    });
}

#[test]
fn the_share_of_a_killed_worker_is_done_by_others() {
    with_postgres(|address| {
        let database = Postgres::connect(address, 2).unwrap();
        let job = create(&database, 3, now());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "jobs::killed_worker", "--nocapture"])
            .env(PLACE, format!("{job} {address}"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        let locked = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'
                          AND query LIKE '%unfinished%' AND datname = current_database()";
        let is_locked = || {
            let count = read(&database, None, |c| c.value(locked, &[])).unwrap().unwrap();
            count.integer().unwrap() == 1
        };
        while !is_locked() {
            assert!(Instant::now() < end, "the worker does not lease");
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut done = Vec::new();
        // The row that the other process has locked is skipped.
        let batch = lease(&database, job, "other", now()).unwrap();
        assert_eq!(batch.ordinal, 2);
        assert!(complete(&database, &batch, "2", now()));
        done.push((2, 1));
        child.kill().unwrap();
        child.wait().unwrap();
        while done.len() < 3 {
            assert!(Instant::now() < end, "the share of the killed worker is not due: {done:?}");
            match lease(&database, job, "other", now()) {
                Some(batch) => {
                    assert!(complete(&database, &batch, &batch.ordinal.to_string(), now()));
                    done.push((batch.ordinal, batch.epoch));
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        done.sort_unstable();
        assert_eq!(done, [(0, 2), (1, 1), (2, 1)]);
        assert_eq!(results(&database, job, 0), ["0", "1", "2"]);
    });
}
