// SPDX-License-Identifier: GPL-2.0
/*
 * The PCI function: probe and removal, interrupts, power, resets by others.
 *
 * Called by the PCI core; hands the board to garner_ring, garner_rsa and garner_aes. The
 * algorithms are registered when the first board comes and stay until the module goes: what uses
 * them goes on in software while there is no board.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>

#include "garner.h"

struct workqueue_struct *garner_workqueue, *garner_software;
static struct dentry *garner_debugfs;

/* Whether the algorithms are registered: by the first board's probe that has their engines. */
static DEFINE_MUTEX(garner_registering);
static bool garner_rsa_registered, garner_aes_registered;

static irqreturn_t garner_interrupt(int irq, void *ring)
{
	garner_ring_interrupt(ring);
	return IRQ_HANDLED;
}

/* How many vectors a board has, and whose each is: RSA: one for each line; AES: for each engine. */
static unsigned int garner_vectors(struct garner_board *board)
{
	return board->engines == 1 ? GARNER_BOARD_RSA_VECTORS : GARNER_BOARD_VECTORS;
}

static struct garner_ring *garner_ring_of(struct garner_board *board, unsigned int vector)
{
	if (vector == GARNER_BOARD_AES_ENCRYPTION_VECTOR)
		return &board->rings[1];
	if (vector == GARNER_BOARD_AES_DECRYPTION_VECTOR)
		return &board->rings[2];
	return &board->rings[0];
}

static void garner_free_interrupts(struct garner_board *board, unsigned int count)
{
	while (count--)
		pci_free_irq(board->pdev, count, garner_ring_of(board, count));
}

static int garner_request_interrupts(struct garner_board *board)
{
	struct pci_dev *pdev = board->pdev;
	unsigned int i;
	int err;

	for (i = 0; i < garner_vectors(board); i++) {
		err = pci_request_irq(pdev, i, garner_interrupt, NULL, garner_ring_of(board, i),
				      "garner-%s-%u", pci_name(pdev), i);
		if (err) {
			garner_free_interrupts(board, i);
			return err;
		}
	}
	return 0;
}

static int garner_counters_show(struct seq_file *file, void *unused)
{
	garner_board_show(file->private, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(garner_counters);

static int garner_register(struct garner_board *board)
{
	int err = 0;

	mutex_lock(&garner_registering);
	if (!garner_rsa_registered) {
		err = garner_rsa_register();
		garner_rsa_registered = !err;
	}
	if (!err && board->engines > 1 && !garner_aes_registered) {
		err = garner_aes_register();
		garner_aes_registered = !err;
	}
	mutex_unlock(&garner_registering);
	return err;
}

/* Requests come from now on, to rings that are to serve: at first all, later those that did. */
static void garner_attach(struct garner_board *board)
{
	struct garner_ring *ring;

	garner_for_each_ring(ring, board)
		ring->serves = ring->serves && !ring->user->attach(ring);
}

/* Requests go to software from now on, those for the rings from this one on. */
static void garner_detach(struct garner_board *board, unsigned int first)
{
	for (; first < board->engines; first++)
		board->rings[first].user->detach(&board->rings[first]);
}

static int garner_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct garner_board *board;
	unsigned int i, vectors;
	int err;

	board = devm_kzalloc(&pdev->dev, sizeof(*board), GFP_KERNEL);
	if (!board)
		return -ENOMEM;
	pci_set_drvdata(pdev, board);
	board->pdev = pdev;
	err = pcim_enable_device(pdev);
	if (!err)
		err = pcim_iomap_regions(pdev, BIT(0), "garner");
	if (!err)
		err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		return dev_err_probe(&pdev->dev, err, "its registers or its DMA cannot be used\n");
	pci_set_master(pdev);
	board->engines = 1;
	if (pci_resource_len(pdev, 0) >= GARNER_BOARD_ENGINES * GARNER_BOARD_PAGE_BYTES)
		board->engines = GARNER_BOARD_ENGINES;
	vectors = garner_vectors(board);
	err = pci_alloc_irq_vectors(pdev, vectors, vectors, PCI_IRQ_MSIX);
	if (err < 0)
		return dev_err_probe(&pdev->dev, err, "no MSI-X vectors\n");
	for (i = 0; i < board->engines; i++) {
		board->rings[i].user = i ? garner_aes_ring_users[i - 1] : &garner_rsa_ring_user;
		board->rings[i].serves = true;
	}
	err = garner_board_init(board, pcim_iomap_table(pdev)[0]);
	if (err) {
		dev_err_probe(&pdev->dev, err, "not taken over\n");
		goto free_vectors;
	}
	err = garner_request_interrupts(board);
	if (err)
		goto stop;
	board->debugfs = debugfs_create_file(pci_name(pdev), 0444, garner_debugfs, board,
					     &garner_counters_fops);
	garner_attach(board);
	if (!board->rings[0].serves)
		pci_info(pdev, "another board serves already; this one waits for none\n");
	pci_info(pdev, "%u cores, %u key slots, up to %u bits; %u AES engines\n",
		 board->rings[0].capability.cores, board->rings[0].capability.key_slots,
		 board->rings[0].capability.max_bits, board->engines - 1);
	err = garner_register(board);
	if (!err)
		return 0;

	debugfs_remove(board->debugfs);
	garner_board_stop(board);
	garner_detach(board, 0);
	garner_free_interrupts(board, vectors);
	goto exit;
stop:
	garner_board_stop(board);
exit:
	pci_clear_master(pdev);
	garner_board_exit(board);
free_vectors:
	pci_free_irq_vectors(pdev);
	return err;
}

static void garner_remove(struct pci_dev *pdev)
{
	struct garner_board *board = pci_get_drvdata(pdev);

	debugfs_remove(board->debugfs);
	/* First the jobs under way, whose requests end in software; then those that wait. */
	garner_board_stop(board);
	garner_detach(board, 0);
	garner_free_interrupts(board, garner_vectors(board));
	pci_clear_master(pdev); /* before its memory is another's */
	garner_board_exit(board);
	pci_free_irq_vectors(pdev);
}

static void garner_shutdown(struct pci_dev *pdev)
{
	struct garner_board *board = pci_get_drvdata(pdev);

	garner_board_stop(board);
	garner_detach(board, 0); /* what is asked from now on, software does */
	pci_clear_master(pdev);
}

/* Before and after a reset that another asked for, as through sysfs. */
static void garner_reset_prepare(struct pci_dev *pdev)
{
	garner_board_stop(pci_get_drvdata(pdev));
}

static void garner_reset_done(struct pci_dev *pdev)
{
	garner_board_restart(pci_get_drvdata(pdev));
}

static int garner_suspend(struct device *device)
{
	struct garner_board *board = dev_get_drvdata(device);

	garner_board_stop(board);
	/*
	 * AES first: who writes to a disk meanwhile does not wait for the board. What is flushed
	 * allocates memory, which may wait for such a write.
	 */
	garner_detach(board, 1);
	flush_workqueue(garner_software); /* a result that is wrong retires the board that serves */
	garner_detach(board, 0);
	return 0;
}

static int garner_resume(struct device *device)
{
	struct garner_board *board = dev_get_drvdata(device);
	int err;

	if (!READ_ONCE(board->retired)) /* or its DMA is off for good */
		pci_set_master(board->pdev);
	err = garner_board_restart(board);
	if (!READ_ONCE(board->retired))
		garner_attach(board);
	return err;
}

static DEFINE_SIMPLE_DEV_PM_OPS(garner_pm, garner_suspend, garner_resume);

static const struct pci_error_handlers garner_error_handlers = {
	.reset_prepare = garner_reset_prepare,
	.reset_done = garner_reset_done,
};

/* No identity is assigned to the design; this vendor number is QEMU's own, for experiments. */
static const struct pci_device_id garner_ids[] = {
	{ PCI_DEVICE(GARNER_BOARD_PCI_VENDOR, GARNER_BOARD_PCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, garner_ids);

static struct pci_driver garner_driver = {
	.name = "garner",
	.id_table = garner_ids,
	.probe = garner_probe,
	.remove = garner_remove,
	.shutdown = garner_shutdown,
	.err_handler = &garner_error_handlers,
	.driver.pm = pm_sleep_ptr(&garner_pm),
};

static int __init garner_init(void)
{
	int err;

	garner_workqueue = alloc_workqueue("garner", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	garner_software = alloc_workqueue("garner_software", WQ_UNBOUND, 0);
	if (!garner_workqueue || !garner_software) {
		err = -ENOMEM;
		goto free_workqueues;
	}
	garner_debugfs = debugfs_create_dir("garner", NULL);
	garner_rsa_prepare(garner_debugfs);
	garner_aes_prepare(garner_debugfs);
	err = pci_register_driver(&garner_driver);
	if (!err)
		return 0;
	debugfs_remove(garner_debugfs);
free_workqueues:
	if (garner_software)
		destroy_workqueue(garner_software);
	if (garner_workqueue)
		destroy_workqueue(garner_workqueue);
	return err;
}

static void __exit garner_exit(void)
{
	pci_unregister_driver(&garner_driver);
	if (garner_aes_registered)
		garner_aes_unregister();
	if (garner_rsa_registered)
		garner_rsa_unregister();
	debugfs_remove(garner_debugfs);
	destroy_workqueue(garner_workqueue);
	destroy_workqueue(garner_software);
}

module_init(garner_init);
module_exit(garner_exit);

MODULE_DESCRIPTION("Garner RSA and AES accelerator");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
